/** What the tests use of Node. Its own types would tell the compiler that the page's scripts run there, too. */
declare module "node:test" {
  export function test(name: string, body: () => unknown): void;
}
declare module "node:assert/strict" {
  const assert: {
    ok(value: unknown): void;
    equal(actual: unknown, expected: unknown): void;
    notEqual(actual: unknown, expected: unknown): void;
    deepEqual(actual: unknown, expected: unknown): void;
    match(value: string, expected: RegExp): void;
  };
  export default assert;
}
