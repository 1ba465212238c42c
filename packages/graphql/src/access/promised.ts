/** What is known now or later: as with `execute` of `graphql`, what needs no waiting costs none. */
export type Promised<T> = Promise<T> | T

export function isPromise<T>(value: Promised<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Goes on with a value as soon as it is there: at once, if it is. */
export function whenThere<T, R>(value: Promised<T>, next: (value: T) => R): Promised<R> {
  return isPromise(value) ? value.then(next) : next(value)
}
