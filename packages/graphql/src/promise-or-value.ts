/** As in graphql-js, which does not export the type. Most results are values, and need no promise. */
export type PromiseOrValue<T> = Promise<T> | T

export function isPromise<T>(value: PromiseOrValue<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Continues with a value: at once, or when the promise resolves. */
export function mapPromiseOrValue<T, R>(value: PromiseOrValue<T>, next: (value: T) => R): PromiseOrValue<R> {
  return isPromise(value) ? value.then(next) : next(value)
}
