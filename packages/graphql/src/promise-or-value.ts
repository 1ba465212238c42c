/** As in graphql-js, which does not export it: most of what may wait does not, and then no promise is made. */
export type PromiseOrValue<T> = Promise<T> | T

export function isPromise<T>(value: PromiseOrValue<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Continues with a value: at once if it is there, else when the promise resolves. */
export function mapPromiseOrValue<T, R>(value: PromiseOrValue<T>, next: (value: T) => R): PromiseOrValue<R> {
  return isPromise(value) ? value.then(next) : next(value)
}
