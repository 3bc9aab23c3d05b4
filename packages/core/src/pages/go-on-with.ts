// Continues with a value, or with a promise of one: in the same tick where there is no promise.

/** Goes on with what is there in this tick, and with what comes when it comes. */
export function goOnWith<Value, Result>(
  coming: Value | Promise<Value>,
  goOn: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return coming instanceof Promise ? coming.then(goOn) : goOn(coming)
}
