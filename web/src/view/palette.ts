// Colours and shapes that those who do not see all colours can tell apart (after Okabe and Ito), in light and dark.

/** What runs and lines are drawn in: class names, so that view.css has the colours. Shapes differ as well. */
export const COLOURS = 8;
export const SHAPES = ["circle", "square", "diamond", "triangle"] as const;
export type Shape = (typeof SHAPES)[number];

export const colourOf = (place: number): string => `c${place % COLOURS}`;
export const shapeOf = (place: number): Shape => SHAPES[place % SHAPES.length]!;

/** A mark around (x, y) as the path of an SVG; `r` is about its radius. */
export function markPath(shape: Shape, x: number, y: number, r: number): string {
  const at = (dx: number, dy: number) => `${round(x + dx)} ${round(y + dy)}`;
  if (shape === "square") return `M${at(-r, -r)}L${at(r, -r)}L${at(r, r)}L${at(-r, r)}Z`;
  if (shape === "diamond") return `M${at(0, -1.3 * r)}L${at(1.3 * r, 0)}L${at(0, 1.3 * r)}L${at(-1.3 * r, 0)}Z`;
  if (shape === "triangle") return `M${at(0, -1.2 * r)}L${at(1.15 * r, 0.9 * r)}L${at(-1.15 * r, 0.9 * r)}Z`;
  return `M${at(-r, 0)}A${r} ${r} 0 1 0 ${at(r, 0)}A${r} ${r} 0 1 0 ${at(-r, 0)}Z`;
}

const round = (number: number): number => Math.round(100 * number) / 100;

/** The class of what became of an item: `b-partly-right`; view.css has colour and pattern. */
export function bucketClass(bucket: string): string {
  return `b-${bucket.replace(/[^a-z]+/g, "-")}`;
}
