type NodeCrypto = {
  hash?(algorithm: 'sha256', data: string | Uint8Array, encoding: 'latin1'): string
  createHmac(
    algorithm: 'sha256',
    key: Uint8Array,
  ): { update(data: string | Uint8Array): { digest(): Uint8Array<ArrayBuffer> } }
}

declare const process: { getBuiltinModule?(id: 'node:crypto'): NodeCrypto | undefined } | undefined

/** Node's own hashing where this runtime has it (several times faster than portable code), else `undefined`. */
export const nativeCrypto: NodeCrypto | undefined =
  typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:crypto')
