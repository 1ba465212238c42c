import { toRateLimitHeaders } from '@latchkey/rate-limit'
import { expect, test } from 'vitest'
import { failOften, openLimit } from './open-limit.ts'

test('a 429 says when to come back, and which limit it was', async () => {
  const { limit, advance } = openLimit()
  await failOften(3, () => limit.take('ada'))
  advance(18.2)
  const verdict = await limit.take('ada')
  if (verdict.ok) throw new Error('nothing was throttled')
  expect(toRateLimitHeaders(verdict)).toEqual({
    'retry-after': '42',
    'ratelimit-policy': '"sign-in";q=3;w=60',
    ratelimit: '"sign-in";r=0;t=42',
  })
})
