import { createMemoryDocumentStore } from '@latchkey/store'
import { createTotp } from '@latchkey/totp'
import { expect, test } from 'vitest'
import { codeAt } from './authenticator.ts'
import { account, secrets } from './open-totp.ts'

const time = 1_800_000_000_000
const now = () => time

test('an overtaken confirmation leaves the factor of a later confirmation active', async () => {
  const documents = createMemoryDocumentStore()
  const own = createTotp({ documents, secrets, issuer: 'Example', now })
  let isFirst = true
  const slow = createTotp({
    documents: {
      ...documents,
      async get(collection, id) {
        const found = await documents.get(collection, id)
        if (isConfirming && collection === 'factor-totp-enrollment' && found === null && isFirst) {
          isFirst = false
          const { secret } = await own.enroll(account, 'a')
          expect((await own.confirm(account, codeAt(secret, time))).ok).toBe(true)
        }
        return found
      },
    },
    secrets,
    issuer: 'Example',
    now,
  })
  let isConfirming = false
  const { secret } = await slow.enroll(account, 'a')
  await slow.confirm(account, codeAt(secret, time), {
    async beforeActivation() {
      isConfirming = true
      await own.remove(account)
      return true
    },
  })
  expect(await own.find(account)).not.toBeNull()
})

test('a confirmation of a removed enrolment neither replaces nor removes a factor confirmed since', async () => {
  const totp = createTotp({ documents: createMemoryDocumentStore(), secrets, issuer: 'Example', now })
  const removed = await totp.enroll(account, 'a')
  let isNextConfirmed = false
  const late = await totp.confirm(account, codeAt(removed.secret, time), {
    async beforeActivation() {
      await totp.remove(account)
      const { secret } = await totp.enroll(account, 'a')
      isNextConfirmed = (await totp.confirm(account, codeAt(secret, time))).ok
      return true
    },
  })
  expect(late).toMatchObject({ ok: false, reason: 'overtaken' })
  expect(isNextConfirmed).toBe(true)
  expect(await totp.find(account)).not.toBeNull()
})
