/** A function of the real platform that a source of ours has called. */
export interface RealCall {
  readonly name: string
  readonly stack: string
}

Error.stackTraceLimit = 40
const calls: RealCall[] = []
const ofOurs = /\/packages\/[a-z]+\/src\//
/** Measures how long it takes to load a module. */
const loader = /module-runner\.js/

function note(name: string): void {
  const { stack = '' } = new Error(name)
  if (ofOurs.test(stack) && !loader.test(stack)) calls.push({ name, stack })
}

function watch(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new TypeError(`"${name}" is no function of the platform`)
  const watched = Object.assign(function (this: unknown, ...given: unknown[]): unknown {
    note(name)
    return Reflect.apply(original, this, given)
  }, original)
  Object.defineProperty(owner, name, { value: watched, configurable: true, writable: true })
}

for (const name of ['setTimeout', 'setInterval', 'setImmediate']) watch(globalThis, name)
for (const name of ['getRandomValues', 'randomUUID']) watch(crypto, name)
watch(Date, 'now')
watch(performance, 'now')
watch(Math, 'random')
watch(AbortSignal, 'timeout')

/**
 * Returns the calls of the real platform by sources of this repository since the last call. It has to be loaded before
 * them: what they keep of the platform while they are loaded is watched, too.
 */
export function takeRealCalls(): readonly RealCall[] {
  return calls.splice(0)
}
