import { expect, test } from 'vitest'
import { failOften, openLimit, permitted } from './open-limit.ts'

const growing = { windowSeconds: 900, longestSeconds: 3600, limit: 5 }

test('each further full window is twice as long as the one before, up to the longest', async () => {
  const { limit, advance } = openLimit(growing)
  const delays: number[] = []
  for (let full = 0; full < 5; full++) {
    await failOften(5, () => limit.take('ada'))
    const verdict = await limit.take('ada')
    const seconds = verdict.ok ? 0 : verdict.retryAfterSeconds
    delays.push(seconds)
    advance(seconds)
  }
  expect(delays).toEqual([900, 1800, 3600, 3600, 3600])
})

test('a window that is not full does not lengthen the next window', async () => {
  const { limit, advance } = openLimit(growing)
  for (let window = 0; window < 5; window++) {
    await failOften(4, () => limit.take('ada'))
    advance(900)
  }
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 900 })
})

test('successes never make a window longer, however many there are', async () => {
  const { limit, advance } = openLimit(growing)
  for (let window = 0; window < 3; window++) {
    for (let made = 0; made < 50; made++) await permitted(await limit.take('ada')).giveBack()
    advance(900)
  }
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 900 })
})

test('throttled attempts do not lengthen a window', async () => {
  const { limit, advance } = openLimit(growing)
  await failOften(5, () => limit.take('ada'))
  for (let asked = 0; asked < 100; asked++) await limit.take('ada')
  advance(900)
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 1800 })
})

test('a day after the first full window delays begin anew', async () => {
  const { limit, advance } = openLimit(growing)
  await failOften(5, () => limit.take('ada'))
  advance(86_400)
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 900 })
})

test('without a longest window, delays stay the same and a failure writes no counter', async () => {
  const { limit, hits, advance } = openLimit({ windowSeconds: 900, limit: 5 })
  for (let full = 0; full < 3; full++) {
    await failOften(5, () => limit.take('ada'))
    expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 900 })
    advance(900)
  }
  expect(new Set(hits.map(({ key }) => key)).size).toBe(1)
})

test('one of many failures at once fills a window, and no two of them do', async () => {
  const { limit, advance } = openLimit(growing)
  const taken = await Promise.all(Array.from({ length: 5 }, () => limit.take('ada')))
  await Promise.all(taken.map((verdict) => permitted(verdict).fail()))
  advance(900)
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 1800 })
})

test('a failure that is late counts for the window of its attempt, so the next full one is twice as long as well', async () => {
  const { limit, advance } = openLimit(growing)
  const first = permitted(await limit.take('ada'))
  advance(10)
  await first.fail()
  await failOften(4, () => limit.take('ada'))
  advance(890)
  await failOften(1, () => limit.take('ada'))
  advance(10)
  await failOften(4, () => limit.take('ada'))
  advance(1790)
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 3600 })
})

test('failures of two windows that are not full never make one', async () => {
  const { limit, advance } = openLimit(growing)
  const first = permitted(await limit.take('ada'))
  advance(800)
  await first.fail()
  await failOften(3, () => limit.take('ada'))
  advance(100)
  await failOften(3, () => limit.take('ada'))
  advance(900)
  await failOften(5, () => limit.take('ada'))
  expect(await limit.take('ada')).toMatchObject({ ok: false, retryAfterSeconds: 900 })
})
