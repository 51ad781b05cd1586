import { expect, test } from "vitest";
import { addressOf, routeOf } from "../src/view/router";
import { requestOf } from "../src/view/source";

const WILD = "ä /?#&=+%2e \u202e<b>\u4e2d";

test.each([
  ["", "runs", ""],
  ["#/", "runs", ""],
  ["#/run?run=a%2Fb", "run", "run=a%2Fb"],
  ["#/samples?run=a&text=x%3Fy?z", "samples", "run=a&text=x%3Fy%3Fz"], // a question mark in what is asked
  ["#/../etc/passwd", "runs", ""],
  ["#/constructor?x=1", "runs", "x=1"],
])("%j is the page %s", (hash, page, params) => {
  const route = routeOf(hash);
  expect([route.page, route.params.toString()]).toEqual([page, params]);
});

test("an address leads back to what it was made from, whatever the names", () => {
  const route = routeOf(addressOf("compare", { run: [WILD, "b"], scorer: "", intersect: undefined }));
  expect(route.page).toBe("compare");
  expect([...route.params]).toEqual([
    ["run", WILD],
    ["run", "b"],
  ]);
  expect(addressOf("samples", route.params)).toBe(addressOf("samples", { run: [WILD, "b"] }));
});

test("what is not asked for is not in a request", () => {
  expect(requestOf("api/run", { run: "a b/c", text: "", more: undefined })).toBe("api/run?run=a+b%2Fc");
  expect(requestOf("api/runs")).toBe("api/runs");
});
