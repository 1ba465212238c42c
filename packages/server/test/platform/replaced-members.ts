/** Replaces members of an object. Returns what restores those of before. A spy would remember each of a million calls. */
export function replaceMembers(owner: object, members: object): () => void {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(owner, name)] as const)
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(owner, name, { value, configurable: true, writable: true })
  return () => {
    for (const [name, own] of before) {
      if (own) Object.defineProperty(owner, name, own)
      else Reflect.deleteProperty(owner, name)
    }
  }
}
