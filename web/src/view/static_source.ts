// The pages over the files of a written folder: each request that the folder answers is named in its manifest.

import { Refused } from "../shared/api";
import type { Source } from "./source";

export class StaticSource {
  static open(): Promise<Source> {
    return Promise.reject(new Refused("This folder holds no pages.", 0));
  }
}
