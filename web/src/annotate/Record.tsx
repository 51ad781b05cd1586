import { Said } from "../shared/Said";

const LEADING = ["text", "question", "problem", "prompt", "statement"];
const BEHIND = ["id", "image", "images", "path", "split", "origin", "author", "licence", "example"];

/** What was given of an item: what is to be read first in large, then the rest, whatever its fields are. */
export function Record({ record }: { record: { [name: string]: unknown } }) {
  const names = Object.keys(record).filter((name) => !isEmpty(record[name]));
  const leading = LEADING.filter((name) => names.includes(name));
  const behind = BEHIND.filter((name) => names.includes(name));
  const others = names.filter((name) => !leading.includes(name) && !behind.includes(name));
  return (
    <section class="record" aria-label="Record">
      {leading.map((name) => (
        <p key={name} class="leading">
          {name !== "text" && <span class="soft">{name} </span>}
          <Said text={inText(record[name])} />
        </p>
      ))}
      {others.length > 0 && <Rows names={others} record={record} />}
      {behind.length > 0 && (
        <details>
          <summary>Where it comes from</summary>
          <Rows names={behind} record={record} />
        </details>
      )}
    </section>
  );
}

function Rows({ names, record }: { names: string[]; record: { [name: string]: unknown } }) {
  return (
    <dl class="rows">
      {names.map((name) => (
        <div key={name}>
          <dt>
            <Said text={name} first={60} />
          </dt>
          <dd>
            <Said text={inText(record[name])} first={600} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty(content: unknown): boolean {
  return content === null || content === undefined || content === "";
}

function inText(content: unknown): string {
  const simple = (one: unknown) => typeof one === "string" || typeof one === "number" || typeof one === "boolean";
  if (Array.isArray(content) && content.length > 0 && content.every(simple)) return content.join("\n");
  return typeof content === "string" ? content : (JSON.stringify(content) ?? "");
}
