import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import type { Piece, Shown } from "../types";
import { Picture } from "./Picture";
import { boxStyle } from "./sight";

/** A piece of evidence that has a box; `id` links it with its line in the list. */
export interface Boxed {
  id: string;
  /** `G1` of the gold, `A1` of the answer. */
  name: string;
  isGold: boolean;
  piece: Piece;
}

interface Props {
  run: string;
  pictures: Shown[];
  /** Which of them is shown. */
  place: number;
  onPlace: (place: number) => void;
  /** On the first picture. */
  boxes?: Boxed[];
  lit?: string;
  onLight?: (id: string) => void;
  of: string;
}

/** The pictures of a sample: one large, the others in a strip. */
export function Pictures({ run, pictures, place, onPlace, boxes = [], lit = "", onLight = () => {}, of }: Props) {
  const source = useSource();
  const shown = pictures[place] ?? pictures[0];
  if (!shown) return <p class="soft no-picture">This sample has no picture.</p>;
  const index = pictures.indexOf(shown);
  return (
    <section class="pictures" aria-label="Pictures">
      {pictures.length > 1 && (
        <div class="strip" role="group" aria-label="Choose a picture">
          {pictures.map((one, at) => (
            <button key={at} type="button" aria-pressed={at === index} onClick={() => onPlace(at)} aria-label={`Picture ${at + 1}`}>
              {one.sha256 ? (
                <img src={source.picture(run, one.sha256, true)} alt="" width="44" height="44" loading="lazy" />
              ) : (
                <span class="soft">none</span>
              )}
              <span>{at + 1}</span>
            </button>
          ))}
        </div>
      )}
      {shown.sha256 ? (
        <Picture
          key={`${shown.sha256} ${index}`}
          picture={shown}
          src={source.picture(run, shown.sha256, false)}
          alt={pictures.length > 1 ? `picture ${index + 1} of ${pictures.length}, ${of}` : `picture, ${of}`}
        >
          {index === 0 &&
            boxes.map(({ id, name, isGold, piece }) => (
              <button
                key={id}
                type="button"
                class={`evidence-box ${isGold ? "gold" : "said-by-model"} ${lit === id ? "lit" : ""}`}
                style={boxStyle(piece.box!)}
                aria-label={`Box ${name}: ${visible(clipped(piece.text, 200))}`}
                onPointerEnter={() => onLight(id)}
                onPointerLeave={() => onLight("")}
                onFocus={() => onLight(id)}
                onBlur={() => onLight("")}
              >
                <span aria-hidden="true">{name}</span>
              </button>
            ))}
        </Picture>
      ) : (
        <p class="not-kept">{notKept(shown)}</p>
      )}
      <p class="help picture-facts">
        {visible(clipped(shown.name, 200))}
        {shown.sha256 && shown.sent && ` · ${visible(clipped(shown.sent, 300))}`}
      </p>
    </section>
  );
}

/** Why a picture cannot be shown. */
export function notKept({ sent }: Shown): string {
  return visible(clipped(sent, 300)) || "The run does not keep this picture.";
}
