import * as Sentry from '@sentry/browser'

// The script of a page that traced-page-browser.test.ts opens.

Sentry.init({
  dsn: `http://public@${location.host}/1`,
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
  tracePropagationTargets: [/graphql/],
  transport: () => ({ send: async () => ({}), flush: async () => true }),
})

async function ask(url: string, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ query: '{ viewer { name } }' })
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  try {
    const response = await Sentry.startSpan({ name: 'ask' }, () => fetch(url, init))
    return `${response.status} ${await response.text()}`
  } catch (error) {
    return String(error)
  }
}

Object.assign(globalThis, { ask })
