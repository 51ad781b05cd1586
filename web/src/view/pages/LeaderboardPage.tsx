import type { Route } from "../router";

export function LeaderboardPage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
