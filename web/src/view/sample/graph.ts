// Where triplets lie as a graph: layers from left to right along the relations, the same for the same triplets.

import type { Triplet } from "../types";

export const NODE = { width: 116, height: 38 };
const GAP = { x: 112, y: 26 };
const LABEL = { width: 104, height: 16 };
const EDGE = 12; // around everything
const MOST_NODES = 40;
const MOST_EDGES = 60;

export interface Node {
  text: string;
  x: number;
  y: number;
}

export interface Edge {
  from: number;
  to: number;
  text: string;
  role: Triplet["role"];
  /** A path of SVG. */
  path: string;
  /** The middle of the label. */
  label: { x: number; y: number };
}

export interface Drawn {
  nodes: Node[];
  edges: Edge[];
  width: number;
  height: number;
  /** How many triplets are not drawn, because there are too many to look at. */
  left: number;
}

/** The same word in other letters and spaces is the same node, as it is the same word to the comparison. */
const folded = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase();

export function drawn(triplets: Triplet[]): Drawn {
  const { names, links, left } = linked(triplets);
  const columns = ordered(layersOf(names.length, links), links);
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  const nodes: Node[] = names.map((text) => ({ text, x: 0, y: 0 }));
  columns.forEach((column, layer) =>
    column.forEach((node, row) => {
      nodes[node]!.x = EDGE + layer * (NODE.width + GAP.x);
      nodes[node]!.y = EDGE + (row + (tallest - column.length) / 2) * (NODE.height + GAP.y);
    }),
  );
  const edges = links.map((link) => ({ ...link, ...curve(nodes[link.from]!, nodes[link.to]!, twins(links, link)) }));
  spread(edges);
  const bottom = Math.max(0, ...nodes.map(({ y }) => y + NODE.height), ...edges.map(({ label }) => label.y + LABEL.height));
  const right = Math.max(0, ...nodes.map(({ x }) => x + NODE.width), ...edges.map(({ label }) => label.x + LABEL.width / 2));
  return { nodes, edges, width: right + EDGE, height: bottom + EDGE, left };
}

interface Link {
  from: number;
  to: number;
  text: string;
  role: Triplet["role"];
}

function linked(triplets: Triplet[]): { names: string[]; links: Link[]; left: number } {
  const places = new Map<string, number>();
  const names: string[] = [];
  const links: Link[] = [];
  for (const { subject, object, relation, role } of triplets.slice(0, MOST_EDGES)) {
    const fresh = new Set([subject, object].map(folded).filter((name) => !places.has(name)));
    if (names.length + fresh.size > MOST_NODES) break;
    const [from, to] = [subject, object].map((text) => {
      const known = places.get(folded(text));
      if (known !== undefined) return known;
      places.set(folded(text), names.length);
      return names.push(text.trim()) - 1;
    }) as [number, number];
    links.push({ from, to, text: relation, role });
  }
  return { names, links, left: triplets.length - links.length };
}

/** The layer of each node: one beyond the furthest that leads to it. Relations that would close a circle do not count. */
function layersOf(count: number, links: Link[]): number[] {
  const next = Array.from({ length: count }, (): number[] => []);
  const entered = new Array<number>(count).fill(0);
  for (const { from, to } of links) {
    next[from]!.push(to);
    if (from !== to) entered[to]!++;
  }
  const layers = new Array<number>(count).fill(0);
  const state = new Array<"new" | "open" | "done">(count).fill("new");
  const done: number[] = [];
  const forward: [number, number][] = [];
  const visit = (node: number): void => {
    state[node] = "open";
    for (const to of next[node]!) {
      if (state[to] === "open") continue; // closes a circle
      forward.push([node, to]);
      if (state[to] === "new") visit(to);
    }
    state[node] = "done";
    done.push(node);
  };
  const roots = Array.from({ length: count }, (_, node) => node).sort((a, b) => Math.min(1, entered[a]!) - Math.min(1, entered[b]!) || a - b);
  for (const node of roots) if (state[node] === "new") visit(node);
  for (const node of done.reverse())
    for (const [from, to] of forward) if (from === node) layers[to] = Math.max(layers[to]!, layers[node]! + 1);
  return layers;
}

/** The nodes of each layer, near those that they are related to. */
function ordered(layers: number[], links: Link[]): number[][] {
  const columns: number[][] = [];
  layers.forEach((layer, node) => {
    while (columns.length <= layer) columns.push([]);
    columns[layer]!.push(node);
  });
  for (let sweep = 0; sweep < 4; sweep++) {
    const rows = new Map(columns.flatMap((column) => column.map((node, row) => [node, row - column.length / 2] as const)));
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const wish = new Map(
        column.map((node) => {
          const near = links.flatMap(({ from, to }) => (from === node ? [to] : to === node ? [from] : [])).filter((one) => layers[one] !== layers[node]);
          return [node, near.length ? near.reduce((sum, one) => sum + rows.get(one)!, 0) / near.length : rows.get(node)!];
        }),
      );
      column.sort((a, b) => wish.get(a)! - wish.get(b)! || a - b);
      column.forEach((node, row) => rows.set(node, row - column.length / 2));
    }
  }
  return columns;
}

/** Which of the relations between the same two nodes a link is, around 0. */
function twins(links: Link[], link: Link): number {
  const same = links.filter(({ from, to }) => (from === link.from && to === link.to) || (from === link.to && to === link.from));
  return same.indexOf(link) - (same.length - 1) / 2;
}

function curve(from: Node, to: Node, offset: number): Pick<Edge, "path" | "label"> {
  const middle = NODE.height / 2;
  const bend = offset * 2 * LABEL.height;
  if (to.x > from.x) {
    const [x0, y0, x1, y1] = [from.x + NODE.width, from.y + middle, to.x, to.y + middle];
    const half = (x1 - x0) / 2;
    const path = `M${x0} ${y0} C${x0 + half} ${y0 + bend} ${x1 - half} ${y1 + bend} ${x1} ${y1}`;
    return { path, label: { x: (x0 + x1) / 2, y: (y0 + y1) / 2 + 0.75 * bend } };
  }
  if (to === from) {
    const [x, y] = [from.x + NODE.width, from.y + middle];
    const path = `M${x} ${y - 8} C${x + 50} ${y - 30} ${x + 50} ${y + 30} ${x} ${y + 8}`;
    return { path, label: { x: x + 40 + LABEL.width / 2, y } };
  }
  // Back, or within a layer: below the nodes, so that it is not taken for a way forward.
  const [x0, y0, x1, y1] = [from.x + NODE.width / 2, from.y + NODE.height, to.x + NODE.width / 2, to.y + NODE.height];
  const low = Math.max(y0, y1) + 36 + Math.abs(bend);
  const path = `M${x0} ${y0} C${x0} ${low} ${x1} ${low} ${x1} ${y1}`;
  return { path, label: { x: (x0 + x1) / 2, y: (y0 + y1) / 8 + 0.75 * low } };
}

/** Moves labels that would lie over one another apart, downwards. */
function spread(edges: Edge[]): void {
  const placed: Edge[] = [];
  for (const edge of [...edges].sort((a, b) => a.label.y - b.label.y || a.label.x - b.label.x)) {
    for (let tries = 0; tries < placed.length; tries++) {
      const over = placed.find(
        ({ label }) => Math.abs(label.x - edge.label.x) < LABEL.width && Math.abs(label.y - edge.label.y) < LABEL.height,
      );
      if (!over) break;
      edge.label.y = over.label.y + LABEL.height;
    }
    placed.push(edge);
  }
}
