import { describe, expect, test } from 'vitest'

interface Verdict {
  readonly ok: boolean
  readonly reason?: string
}

interface Ceremony {
  readonly options: object
}

/**
 * Passkeys over their own store, and an authenticator: a structural type, because the package of passkeys depends on
 * this package.
 */
export interface PasskeyRaces {
  readonly passkeys: {
    startRegistration(account: typeof ada): Promise<Ceremony>
    finishRegistration(
      id: string,
      response: unknown,
      options: { readonly name: string; readonly beforeActivation?: () => Promise<boolean> },
    ): Promise<Verdict>
    startSignIn(): Promise<Ceremony>
    finishSignIn(response: unknown): Promise<Verdict>
    list(id: string): Promise<readonly { readonly id: string }[]>
    remove(id: string, passkeyId: string): Promise<boolean>
  }
  readonly documents: { listByOwner(id: string): Promise<{ readonly items: readonly { readonly value: string }[] }> }
  readonly authenticator: { create(options: never): Promise<unknown>; get(options: never): Promise<unknown> }
}

const ada = { id: 'acc_ada', name: 'ada@example.com', displayName: 'Ada' }

const fifty = <Result>(call: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: 50 }, () => call()))

const reasonsOf = (verdicts: readonly Verdict[]) =>
  new Set(verdicts.filter(({ ok }) => !ok).map(({ reason }) => reason))

/**
 * Describes the races of passkeys, with fifty identical requests each.
 *
 * @param open opens passkeys for an authenticator whose counter starts there; `null` for an authenticator that does not
 * count.
 */
export function describePasskeyRaces(open: (counter: number | null) => Promise<PasskeyRaces>): void {
  async function openRegistered(counter: number | null): Promise<PasskeyRaces> {
    const opened = await open(counter)
    const { passkeys, authenticator } = opened
    const { options } = await passkeys.startRegistration(ada)
    const verdict = await passkeys.finishRegistration(ada.id, await authenticator.create(options as never), {
      name: 'Phone',
    })
    expect(verdict.ok).toBe(true)
    return opened
  }

  describe('fifty at once', () => {
    test('one response of a registration has one winner, and its activation happens once', async () => {
      const { passkeys, authenticator } = await open(null)
      const { options } = await passkeys.startRegistration(ada)
      const response = await authenticator.create(options as never)
      let activations = 0
      const beforeActivation = async () => ++activations > 0
      const verdicts = await fifty(() =>
        passkeys.finishRegistration(ada.id, response, { name: 'Phone', beforeActivation }),
      )
      expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
      expect(activations).toBe(1)
      expect(await passkeys.list(ada.id)).toHaveLength(1)
    })

    test('one response of a sign-in has one winner', async () => {
      const { passkeys, authenticator } = await openRegistered(0)
      const response = await authenticator.get((await passkeys.startSignIn()).options as never)
      const verdicts = await fifty(() => passkeys.finishSignIn(response))
      expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
      expect(reasonsOf(verdicts)).toEqual(new Set(['challenge']))
    })

    test('the counter only goes up, whatever the order of sign-ins', async () => {
      const { passkeys, documents, authenticator } = await openRegistered(0)
      const verdicts = await fifty(async () =>
        passkeys.finishSignIn(await authenticator.get((await passkeys.startSignIn()).options as never)),
      )
      expect(new Set([...reasonsOf(verdicts), 'counter'])).toEqual(new Set(['counter']))
      const [passkey] = (await documents.listByOwner(ada.id)).items
      expect(JSON.parse(passkey?.value ?? '{}').counter).toBe(50)
    })

    test('one passkey is removed once', async () => {
      const { passkeys } = await openRegistered(null)
      const [passkey] = await passkeys.list(ada.id)
      const removals = await fifty(() => passkeys.remove(ada.id, passkey?.id ?? ''))
      expect(removals.filter(Boolean)).toHaveLength(1)
    })
  })
}
