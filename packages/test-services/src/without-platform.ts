/** The functions of the platform that a module must not call while it is loaded: Workers refuse most of them. */
const members: readonly (readonly [name: string, holder: object])[] = [
  ...['getRandomValues', 'randomUUID'].map((name) => [name, crypto] as const),
  ...['generateKey', 'importKey', 'digest'].map((name) => [name, crypto.subtle] as const),
  ...['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'Worker'].map((name) => [name, globalThis] as const),
  ['now', Date],
  ['now', performance],
  ['random', Math],
]

/**
 * Runs a synchronous function while random values, clocks, timers and requests of the platform throw, and returns its result.
 *
 * @throws Error that names the functions that it called, even if it caught their errors, or that it left a resource open.
 */
export function withoutPlatform<T>(work: () => T): T {
  const used: string[] = []
  const restore = members.map(([name, holder]) => replace(holder, name, used))
  const before = process.getActiveResourcesInfo()
  try {
    const made = work()
    const opened = process.getActiveResourcesInfo().length - before.length
    if (opened > 0) used.push(`${opened} open resources`)
    if (used.length > 0) throw new Error(`used while it was created: ${used.join(', ')}`)
    return made
  } finally {
    for (const put of restore) put()
  }
}

function replace(holder: object, name: string, used: string[]): () => void {
  const own = Object.getOwnPropertyDescriptor(holder, name)
  const refuse = (): never => {
    used.push(name)
    throw new Error(`used while it was created: ${name}`)
  }
  Object.defineProperty(holder, name, { configurable: true, writable: true, value: refuse })
  return () => {
    if (own) Object.defineProperty(holder, name, own)
    else Reflect.deleteProperty(holder, name)
  }
}
