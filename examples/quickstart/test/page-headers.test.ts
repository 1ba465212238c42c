import { expect, inject, test } from 'vitest'

test.each([
  '/',
  '/app/sign-in',
  '/sign-in',
  '/sign-up',
  '/reset',
  '/graphiql',
  '/graphiql/react.js',
  '/graphiql/graphiql.css',
  '/graphql?query={articles{id}}',
  '/healthz',
])('the reply at %s has the security headers', async (path) => {
  const response = await fetch(`${inject('quickstartUrl')}${path}`)
  await response.body?.cancel()
  expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
    200,
    {
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': expect.stringMatching(/^(?:no-referrer|same-origin)$/),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  ])
})
