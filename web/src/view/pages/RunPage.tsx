import type { Route } from "../router";

export function RunPage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
