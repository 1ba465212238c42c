export type Around = (call: string, run: () => Promise<unknown>) => Promise<unknown>

/** A store whose every call goes through `around`: to count, to wait, to fail. */
export function wrapStore<Store extends object>(name: string, store: Store, around: Around): Store {
  return new Proxy(store, {
    get(target, property, receiver) {
      const value: unknown = Reflect.get(target, property, receiver)
      if (property === 'reservations' && value) return wrapStore(`${name}.${property}`, value, around)
      // The time is known without asking.
      if (typeof value !== 'function' || property === 'now') return value
      return (...given: unknown[]) => around(`${name}.${String(property)}`, () => value.apply(target, given))
    },
  })
}
