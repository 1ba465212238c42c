import { equalBytes } from '@latchkey/bytes'
import { decodeAnyBase64 } from '../base64.ts'
import { isWithin, readInteger, readParameters } from './phc.ts'
import { isScryptBounded } from './scrypt.ts'
import { type StoredHash, spellTyped } from './stored-hash.ts'

/**
 * Reads `$fbscrypt$v=1,n=14,r=8,p=1,ss=<salt separator>,sk=<signer key>$salt$hash`: the notation in which Supabase
 * imports Firebase's users too. `n` is Firebase's memory cost, `r` its rounds, all else base64 as Firebase exports it.
 */
export function readFirebaseScrypt(fields: readonly string[]): StoredHash | null {
  const [parameterText = '', saltText = '', hashText = '', ...more] = fields
  const parameters = new Map(readParameters(parameterText))
  const salt = decodeAnyBase64(saltText)
  const hash = decodeAnyBase64(hashText)
  const separator = decodeAnyBase64(parameters.get('ss') ?? '')
  const signerKey = decodeAnyBase64(parameters.get('sk') ?? '')
  const cost = readCost(parameters)
  if (more.length > 0 || !salt || !hash || !separator || !signerKey || !cost) return null
  if (salt.length + separator.length > 64 || !isWithin(hash.length, 16, 64) || signerKey.length !== hash.length)
    return null
  const salted = new Uint8Array([...salt, ...separator])
  return {
    algorithm: 'firebase-scrypt',
    format: 'firebase',
    parameters: { ...cost, saltBytes: salt.length, outputBytes: hash.length },
    spell: spellTyped,
    jobFor: (password) => ({ kind: 'scrypt', password, salt: salted, ...cost, length: 64 }),
    matches: async (output) => equalBytes(await encryptSignerKey(output, signerKey), hash),
  }
}

function readCost(
  parameters: ReadonlyMap<string, string>,
): { cost: number; blockSize: number; parallelism: number } | null {
  const [logarithm, blockSize, parallelism] = ['n', 'r', 'p'].map((name) => readInteger(parameters.get(name) ?? ''))
  if (parameters.get('v') !== '1' || !logarithm || !blockSize || !parallelism || logarithm > 30) return null
  const cost = { cost: 2 ** logarithm, blockSize, parallelism }
  return isScryptBounded(cost) ? cost : null
}

/** Firebase stores the project's key encrypted under the output of scrypt: AES-256-CTR from a zero counter. */
async function encryptSignerKey(derived: Uint8Array, signerKey: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(derived.subarray(0, 32)), 'AES-CTR', false, [
    'encrypt',
  ])
  return new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }, key, signerKey),
  )
}
