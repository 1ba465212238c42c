import {
  type Changes,
  type Completed,
  completeFlow,
  flow,
  flowConditions,
  judgeError,
  requestOf,
} from './authorization-flow.ts'
import type { ConformanceModule, Holds } from './conformance-module.ts'
import { changesAnswer, changesJson, overlooks, redirectTo, refuses } from './mistakes.ts'
import { type Between, first, type ProviderUnderTest } from './provider-under-test.ts'

const needsUser = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']

const again = {
  asks: 'the user is asked to sign in a second time, although signed in',
  silent: 'the user is asked nothing the second time',
  later: 'the second id token has a later auth_time',
  same: 'both id tokens have the same auth_time and sub',
  present: 'the id tokens have an auth_time, because max_age was sent',
  recent: 'the auth_time is no older than max_age allows',
}

interface Twice {
  readonly one: Completed
  readonly other: Completed
  /** How often the user was asked the second time. */
  readonly signIns: number
  readonly consents: number
}

/** Two flows in one browser, some seconds after each other. */
async function twice(
  provider: ProviderUnderTest,
  holds: Holds,
  {
    changes = {},
    next,
    seconds = 2,
  }: { readonly changes?: Changes; readonly next: (one: Completed) => Changes; readonly seconds?: number },
): Promise<Twice> {
  const one = await completeFlow(provider, holds, { changes })
  provider.advance(seconds)
  const before = { ...provider.asked }
  const other = await completeFlow(provider, holds, { changes: next(one) })
  const { asked } = provider
  return { one, other, signIns: asked.signIn - before.signIn, consents: asked.consent - before.consent }
}

function judgeSame(holds: Holds, { one, other, signIns, consents }: Twice): void {
  holds(again.silent, signIns === 0 && consents === 0)
  holds(again.same, one.claims.auth_time === other.claims.auth_time && one.claims.sub === other.claims.sub)
}

const timeOf = ({ claims }: Completed): number => Number(claims.auth_time)

/** Who is signed in is sent to the sign-in page all the same, once. */
const asksAgain = (is: (parameters: URLSearchParams) => boolean): Between => {
  return (request, next) => {
    const { pathname, searchParams, search } = new URL(request.url)
    if (pathname !== '/authorize' || !is(searchParams)) return next(request)
    const path = `${pathname}${search.replace(/prompt=none&?/, '')}`
    searchParams.delete('prompt')
    return Promise.resolve(redirectTo(`/sign-in?${new URLSearchParams({ return_to: path })}`))
  }
}

export const basicSignIns: readonly ConformanceModule[] = [
  {
    name: 'oidcc-prompt-login',
    conditions: [...flow, again.asks, again.later],
    async run(provider, holds) {
      const { one, other, signIns } = await twice(provider, holds, { next: () => ({ prompt: 'login' }) })
      holds(again.asks, signIns === 1)
      holds(again.later, timeOf(other) > timeOf(one))
    },
    violation: { what: 'overlooks prompt=login', between: overlooks({ prompt: null }), breaks: again.asks },
  },
  {
    name: 'oidcc-prompt-none-not-logged-in',
    conditions: [
      'the callback has an error of those that need a user interface, the issuer, and a state of 128 characters',
    ],
    async run(provider, holds) {
      const state = 's'.repeat(128)
      const arrival = await provider.browse(requestOf(provider, first, { prompt: 'none', state }))
      const [condition = ''] = this.conditions
      judgeError(holds, condition, arrival, needsUser, state)
    },
    violation: {
      what: 'cuts a long state off',
      between: changesAnswer((to) => to.searchParams.set('state', 's'.repeat(64))),
      breaks:
        'the callback has an error of those that need a user interface, the issuer, and a state of 128 characters',
    },
  },
  {
    name: 'oidcc-prompt-none-logged-in',
    conditions: [...flow, again.silent, again.same],
    async run(provider, holds) {
      judgeSame(holds, await twice(provider, holds, { next: () => ({ prompt: 'none' }) }))
    },
    violation: {
      what: 'asks in spite of prompt=none',
      between: asksAgain((sent) => sent.get('prompt') === 'none'),
      breaks: again.silent,
    },
  },
  {
    name: 'oidcc-max-age-1',
    conditions: [...flow, again.asks, again.present, again.later, again.recent],
    async run(provider, holds) {
      const { one, other, signIns } = await twice(provider, holds, { next: () => ({ max_age: '1' }) })
      holds(again.asks, signIns === 1)
      holds(again.present, Number.isSafeInteger(other.claims.auth_time))
      holds(again.later, timeOf(other) > timeOf(one))
      holds(again.recent, provider.now() / 1000 - timeOf(other) <= 1)
    },
    violation: { what: 'overlooks max_age', between: overlooks({ max_age: null }), breaks: again.asks },
  },
  {
    name: 'oidcc-max-age-10000',
    conditions: [...flow, again.present, again.silent, again.same],
    async run(provider, holds) {
      const changes = { max_age: '15000' }
      const result = await twice(provider, holds, { changes, next: () => ({ max_age: '10000' }) })
      const isPresent = [result.one, result.other].every(({ claims }) => Number.isSafeInteger(claims.auth_time))
      holds(again.present, isPresent)
      judgeSame(holds, result)
    },
    violation: {
      what: 'takes every max_age for 1',
      between: overlooks({ max_age: '1' }),
      breaks: again.silent,
    },
  },
  {
    name: 'oidcc-id-token-hint',
    conditions: [...flow, again.silent, again.same],
    async run(provider, holds) {
      const next = ({ tokens }: Completed) => ({ prompt: 'none', id_token_hint: String(tokens.id_token) })
      judgeSame(holds, await twice(provider, holds, { next }))
    },
    violation: { what: 'refuses id_token_hint', between: refuses('id_token_hint'), breaks: flowConditions.code },
  },
  {
    name: 'oidcc-ensure-request-with-acr-values-succeeds',
    conditions: [...flow, 'the acr of the id token is one of those that were asked for'],
    async run(provider, holds) {
      const { body } = await provider.json('/.well-known/openid-configuration')
      const known = (body.acr_values_supported ?? []) as readonly string[]
      const { claims } = await completeFlow(provider, holds, { changes: { acr_values: known.join(' ') } })
      holds('the acr of the id token is one of those that were asked for', known.includes(String(claims.acr)))
    },
    violation: {
      what: 'says that it knows other classes of sign-ins than it does',
      between: changesJson('/.well-known/openid-configuration', (body) => ({
        ...body,
        acr_values_supported: ['urn:example:other'],
      })),
      breaks: 'the acr of the id token is one of those that were asked for',
    },
  },
]
