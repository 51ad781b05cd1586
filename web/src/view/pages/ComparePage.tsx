import type { Route } from "../router";

export function ComparePage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
