/** Returns the store with other methods in the place of its own. */
export function overriding<Store extends object>(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof Store]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
