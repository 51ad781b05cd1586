import type { Route } from "../router";

export function SamplesPage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
