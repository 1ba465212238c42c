import { createHmac } from 'node:crypto'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const factors = [{ kind: 'password', at: 1 }]
const secrets: SecretKeys = [{ id: 'a', bytes: new Uint8Array(32).fill(7) }]
const web = { clientId: 'web' }

/** Returns the secret of a token: what follows its 16 bytes of lineage. */
function secretOf(token: string): Buffer {
  return Buffer.from(token.split('.')[1]!, 'base64url').subarray(16)
}

/** Each field with its length before it, in four bytes, the highest first. */
function prefixed(fields: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(field))
      return [length, Buffer.from(field)]
    }),
  )
}

test('the successor of a refresh token is the HMAC that processes of all versions agree on', async () => {
  const records = createMemoryRecordStore()
  const tokens = createRefreshTokens({ records, secrets })
  let { token, family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  for (const generation of ['2', '3', '4']) {
    const verdict = await tokens.redeem(token, web)
    if (!verdict.ok) throw new Error(verdict.reason)
    const { previous } = JSON.parse((await records.get(family.key))!.value)
    const fields = [
      'refresh-successor',
      family.key,
      generation,
      Buffer.from(previous.salt, 'base64url'),
      secretOf(token),
    ]
    const [{ bytes }] = deriveSecrets(secrets, 'refresh-successor')
    const expected = createHmac('sha256', bytes).update(prefixed(fields)).digest('hex')
    expect(secretOf(verdict.token).toString('hex')).toBe(expected)
    ;({ token, family } = verdict)
  }
})
