import { beforeEach, expect, test } from 'vitest'
import { createAskingBench, hiddenFields, leadsTo, open, requestPath } from '../../support/clients/asking.ts'
import { ownForm, titleOf } from '../../support/forms.ts'
import {
  codeOf,
  comeBack,
  createProviderBench,
  leadOf,
  type ProviderBench,
  signInWith,
} from '../../support/providers/provider-bench.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

let bench: ProviderBench
let visitor: Visitor
beforeEach(async () => {
  bench = createProviderBench({ make: createAskingBench })
  visitor = bench.visitor()
  await bench.link((await bench.insert()).id)
})

/** Presses the button of the page that a client has led to. */
const press = async (page: Answer): Promise<Answer> =>
  visitor.post('/sign-in/with/one', { return_to: hiddenFields(page).return_to ?? '' }, ownForm)

/** Goes on at the client's request after the callback. */
const goOn = async (pressed: Answer): Promise<Answer> =>
  visitor.get(leadsTo(await comeBack(visitor, bench.one.authorize(leadOf(pressed)))) ?? '')

test('a sign-in for a client continues its request, and keeps the opener of its window', async () => {
  const page = await open(visitor, requestPath({ login_hint: 'ada' }))
  const pressed = await press(page)
  expect(new URL(leadOf(pressed)).searchParams.get('login_hint')).toBe('ada')
  const url = bench.one.authorize(leadOf(pressed))
  const between = await visitor.get(`${url.pathname}${url.search}`, { 'sec-fetch-site': 'cross-site' })
  for (const shown of [page, pressed, between]) expect(shown.headers.get('cross-origin-opener-policy')).toBeNull()
  expect(titleOf(await visitor.get(leadsTo(await goOn(pressed)) ?? ''))).toBe('Allow access?')
})

test('a client that requests a new sign-in makes the user sign in at the provider again', async () => {
  await signInWith(visitor, bench.one)
  bench.advance(60)
  const page = await open(visitor, requestPath({ prompt: 'login' }))
  expect(page.text).toContain('Sign in again to continue to')
  const pressed = await press(page)
  const asked = new URL(leadOf(pressed)).searchParams
  expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0'])
  expect(titleOf(await visitor.get(leadsTo(await goOn(pressed)) ?? ''))).toBe('Allow access?')
})

test('an old sign-in at the provider is no sign-in again', async () => {
  await signInWith(visitor, bench.one)
  bench.advance(60)
  const pressed = await press(await open(visitor, requestPath({ prompt: 'login' })))
  bench.one.claims = { auth_time: Math.floor(bench.clock.time / 1000) - 50 }
  const answer = await comeBack(visitor, bench.one.authorize(leadOf(pressed)))
  expect([answer.status, codeOf(answer)]).toEqual([400, 'id-token: auth-time'])
})
