import { expect } from 'vitest'
import { createVisitor } from './visitor.ts'

const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'

/** The addresses of a flood that no account has. */
export const unknownAddresses: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `nobody${index}@example.com`,
)

/**
 * Strangers request resets for addresses without an account, and forty at once for one that has one; then its owner does, who is
 * signed out, on a device that has signed in before. All are answered alike.
 *
 * @param urls the processes of the service, which take turns.
 */
export async function floodWithResets(urls: readonly string[], owned: string): Promise<void> {
  const visitors = urls.map((url) => createVisitor(url, { isPatient: true }))
  const request = async (email: string, index: number): Promise<void> => {
    const answer = await visitors[index % visitors.length]?.ask(requestReset, { input: { email } })
    expect([answer?.status, answer?.data]).toEqual([200, { requestPasswordReset: true }])
  }
  const owner = createVisitor(urls[0] ?? '', { isPatient: true })
  expect((await owner.signIn(owned)).status).toBe(200)
  expect((await owner.ask('mutation { signOut }')).data).toEqual({ signOut: true })
  for (let from = 0; from < unknownAddresses.length; from += 20) {
    await Promise.all(unknownAddresses.slice(from, from + 20).map(request))
  }
  await Promise.all(Array.from({ length: 40 }, (_, index) => request(owned, index)))
  expect((await owner.ask(requestReset, { input: { email: owned } })).data).toEqual({ requestPasswordReset: true })
}
