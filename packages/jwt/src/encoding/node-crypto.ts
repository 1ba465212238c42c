type Hash = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'latin1' | 'base64url') => string

/** A key that its runtime keeps: passing the bytes on each call costs several times the hash. */
export type KeyObject = object

/** The used part of `node:crypto`. Other runtimes lack some of it. */
export interface NodeCrypto {
  readonly hash?: Hash
  createSecretKey(bytes: Uint8Array): KeyObject
  createHmac(
    algorithm: 'sha256',
    key: KeyObject,
  ): { update(data: string, encoding: 'latin1'): { digest(encoding: 'base64url'): string } }
  createPrivateKey(input: { readonly key: object; readonly format: 'jwk' }): KeyObject
  sign(digest: 'sha256' | null, data: Uint8Array, key: KeyObject): Uint8Array
}

/** A buffer that text is written to. */
export type NodeBuffer = Uint8Array<ArrayBuffer> & { write(text: string, offset: number, encoding: 'latin1'): number }
interface Builtins {
  readonly 'node:crypto': NodeCrypto
  readonly 'node:buffer': { readonly Buffer: { alloc(size: number): NodeBuffer } }
}

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined }
  | undefined

let loaded: NodeCrypto | null | undefined

/**
 * Returns the functions of Node.js, or `null` if the runtime lacks them. The first use loads them, because an import
 * would double the time to load this package.
 */
export function nodeCrypto(): NodeCrypto | null {
  if (loaded === undefined) loaded = builtin('node:crypto')
  return loaded
}

/** Returns a module of Node.js, or `null` if the runtime lacks it. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | null {
  return (typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name)) ?? null
}
