import { clipped, visible } from "../../shared/visible";
import type { Triplet } from "../types";
import { NODE, drawn } from "./graph";

const ROLES: Record<Triplet["role"], string> = { both: "gold and said", missed: "gold, not said", extra: "said, not gold" };
const SIGNS: Record<Triplet["role"], string> = { both: "✓", missed: "○", extra: "+" };
const MOST_LISTED = 200;

/** Reasoning triplets as a graph, and as the list that it is drawn from. */
export function TripletGraph({ triplets }: { triplets: Triplet[] }) {
  const { nodes, edges, width, height, left } = drawn(triplets);
  const counts = (role: Triplet["role"]) => triplets.filter((one) => one.role === role).length;
  const roles = (Object.keys(ROLES) as Triplet["role"][]).filter((role) => counts(role) > 0);
  return (
    <section class="triplets" aria-label="Reasoning triplets">
      <h3>Reasoning triplets</h3>
      <p class="legend">
        {roles.map((role) => (
          <span key={role} class={`role ${role}`}>
            <svg viewBox="0 0 30 8" width="30" height="8" aria-hidden="true">
              <path d="M0 4 H30" />
            </svg>
            {SIGNS[role]} {ROLES[role]}: {counts(role)}
          </span>
        ))}
      </p>
      <div class="wide graph" tabIndex={0} role="region" aria-label="The triplets as a graph; they are listed below">
        <svg viewBox={`0 0 ${width} ${height}`} style={{ width: `${width}px`, minWidth: `${Math.round(0.75 * width)}px` }} role="img" aria-label={`${nodes.length} things, ${edges.length} relations`}>
          <defs>
            {roles.map((role) => (
              <marker key={role} id={`arrow-${role}`} class={`role ${role}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                <path d="M0 0 L8 4 L0 8 Z" />
              </marker>
            ))}
          </defs>
          {edges.map((edge, index) => (
            <path key={index} class={`role ${edge.role}`} d={edge.path} marker-end={`url(#arrow-${edge.role})`} />
          ))}
          {nodes.map((node, index) => (
            <g key={index} transform={`translate(${node.x} ${node.y})`}>
              <rect width={NODE.width} height={NODE.height} rx="6" />
              {twoLines(node.text).map((line, at, all) => (
                <text key={at} x={NODE.width / 2} y={NODE.height / 2 + (at - (all.length - 1) / 2) * 14} class="node">
                  {line}
                </text>
              ))}
              <title>{visible(clipped(node.text, 300))}</title>
            </g>
          ))}
          {edges.map((edge, index) => (
            <text key={index} class={`edge ${edge.role}`} x={edge.label.x} y={edge.label.y}>
              {SIGNS[edge.role]} {visible(clipped(edge.text, 16))}
              <title>{visible(clipped(edge.text, 300))}</title>
            </text>
          ))}
        </svg>
      </div>
      {left > 0 && <p class="help">{left} more are in the list only.</p>}
      <details>
        <summary>All {triplets.length} triplets</summary>
        <ul class="triplet-list">
          {triplets.slice(0, MOST_LISTED).map(({ subject, relation, object, role }, index) => (
            <li key={index} class="said">
              <span aria-hidden="true">{SIGNS[role]}</span> {visible(clipped(subject, 200))} — {visible(clipped(relation, 200))} →{" "}
              {visible(clipped(object, 200))} <span class="soft">({ROLES[role]})</span>
            </li>
          ))}
        </ul>
        {triplets.length > MOST_LISTED && <p class="help">The first {MOST_LISTED} are listed.</p>}
      </details>
    </section>
  );
}

/** At most two lines of a node's text. */
function twoLines(text: string): string[] {
  const words = visible(clipped(text, 34)).split(/\s+/);
  let first = "";
  while (words.length > 0 && (first === "" || `${first} ${words[0]}`.length <= 16)) first = first ? `${first} ${words.shift()}` : words.shift()!;
  const rest = words.join(" ");
  return rest ? [clipped(first, 17), clipped(rest, 17)] : [clipped(first, 17)];
}
