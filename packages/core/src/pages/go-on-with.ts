// Continues with a value that is there, or with one that is coming.

/** Goes on with what is there in this tick, and with what comes when it comes. */
export function goOnWith<Value, Result>(
  coming: Value | Promise<Value>,
  goOn: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return coming instanceof Promise ? coming.then(goOn) : goOn(coming)
}
