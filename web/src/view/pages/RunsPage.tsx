import type { Route } from "../router";

export function RunsPage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
