import type { Form } from "../src/annotate/types";

/** A form with a field of every kind. */
export const M3R: Form = {
  name: "m3r",
  title: "Multimodal metaphor",
  mode: "shared",
  fields: [
    { name: "metaphor", kind: "choice", label: "Metaphor", options: ["yes", "no"], keys: ["y", "n"], required: true },
    { name: "target", kind: "text", label: "Target", when: ["metaphor", "yes"], required: true },
    { name: "sentiment", kind: "choice", label: "Sentiment", options: ["good", "neutral", "bad"], keys: ["1", "2", "3"] },
    { name: "evidence", kind: "evidence", label: "Evidence" },
    { name: "mapping", kind: "longtext", label: "Mapping" },
  ],
};
