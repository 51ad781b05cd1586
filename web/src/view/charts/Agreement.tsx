import { agreementWords, named } from "../compare/words";
import type { RunAgreement } from "../types";
import { counted, percent } from "../words";

/** How far each two runs agree on which items are right: the share with the same verdict, and kappa. */
export function Agreement({ data, names }: { data: RunAgreement[]; names: string[] }) {
  if (data.length === 0) return null;
  const of = (a: number, b: number) => data.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
  const last = names.length - 1;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="agreement of the runs">
      <table class="agreement">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">run</span>
            </th>
            {names.slice(0, last).map((name, place) => (
              <th key={place} scope="col">
                {named(name, 60)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.slice(1).map((name, below) => (
            <tr key={below}>
              <th scope="row">{named(name, 60)}</th>
              {names.slice(0, last).map((_, place) => (
                <td key={place} class="num">
                  {place <= below && <Cell data={of(place, below + 1)} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ data }: { data: RunAgreement | undefined }) {
  if (!data) return null;
  return (
    <>
      <svg class="small-bar" width="60" height="8" aria-hidden="true">
        <rect class="ground" width="60" height="8" rx="2" />
        <rect class="filled" width={60 * Math.min(1, Math.max(0, data.same ?? 0))} height="8" rx="2" />
      </svg>{" "}
      {agreementWords(data.same, data.kappa)}
      <small class="under">
        n={counted(data.n)}
        {data.both_wrong_same !== null && `; the same wrong answer in ${percent(data.both_wrong_same)} of ${counted(data.both_wrong)} that both got wrong`}
      </small>
    </>
  );
}
