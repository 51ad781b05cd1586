import { type Filters, nextOf, positionOf, scorerOf } from "../samples/filters";
import { type Samples, apartIn } from "../samples/useSamples";
import { filterWords } from "../samples/words";
import { counted } from "../words";

export type Step = (by: 1 | -1, holds?: (place: number) => boolean) => void;

interface Props {
  samples: Samples;
  filters: Filters;
  /** Of the sample that is shown, -1 while it is not known. */
  place: number;
  listAddress: string;
  onStep: Step;
}

/** The way back to the list, where one is in it, and on to the next. */
export function SampleBar({ samples, filters, place, listAddress, onStep }: Props) {
  const places = samples.matched?.places;
  const apart = apartIn(samples);
  const leads = (by: 1 | -1, holds?: (place: number) => boolean) => places !== undefined && nextOf(places, place, by, holds) >= 0;
  return (
    <div class="sample-bar">
      <a href={listAddress}>
        ‹ All samples <kbd>Esc</kbd>
      </a>
      <Where samples={samples} filters={filters} place={place} />
      <span class="steps">
        <button type="button" disabled={!leads(-1)} onClick={() => onStep(-1)}>
          Previous <kbd>K</kbd>
        </button>
        <button type="button" disabled={!leads(1)} onClick={() => onStep(1)}>
          Next <kbd>J</kbd>
        </button>
        <button type="button" disabled={!leads(1, apart)} onClick={() => onStep(1, apart)}>
          Next disagreement <kbd>N</kbd>
        </button>
      </span>
    </div>
  );
}

/** Where one is in the list: `3 of 1,204: wrong under official`. */
function Where({ samples, filters, place }: { samples: Samples; filters: Filters; place: number }) {
  const { table, matched } = samples;
  if (!table || !matched || place < 0) return <span class="where soft" role="status" />;
  const { position, isThere } = positionOf(matched.places, place);
  const words = filterWords(filters, scorerOf(table, filters));
  return (
    <span class="where" role="status">
      {isThere ? `${counted(position + 1)} of ${counted(matched.places.length)}` : `not among the ${counted(matched.places.length)}`}
      {words && <span class="soft"> {words}</span>}
    </span>
  );
}
