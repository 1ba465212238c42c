import type { Account } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import { type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, englishFrame } from '../../page-kit/html/page.ts'
import type { ServicePlan } from '../../service/plan/service-plan.ts'

const signUp = `mutation SignUp {
  signUp(
    input: {
      email: "ada@example.com"
      password: "otters read quietly at dawn"
      name: "Ada"
    }
  ) {
    accepted
  }
}`
const signIn = `mutation SignIn {
  signIn(
    input: {
      email: "ada@example.com"
      password: "otters read quietly at dawn"
    }
  ) {
    status
    account {
      id
      name
    }
  }
}`
const viewer = `query Viewer {
  viewer {
    id
    name
    email
  }
  sessions {
    id
    kind
    userAgent
    lastUsedAt
    current
  }
}`

/**
 * Returns the page at `/` of a service in development. It shows the endpoint, sample operations and the account.
 *
 * @param account the account of the session cookie, or `null`.
 */
export function createStartPage(plan: ServicePlan, account: Account | null): HttpResponse {
  const { base, path, options } = plan
  const examples = [
    ...(options.signUp === 'closed' ? [] : [['Sign up', signUp]]),
    ['Sign in', signIn],
    ['See yourself', viewer],
  ]
  const items = examples.map(
    ([title = '', query = '']) => html`<li><a href="/graphiql?query=${encodeURIComponent(query)}">${title}</a></li>\n`,
  )
  const body = html`<p>The GraphQL endpoint is <code>${base.origin}${path}</code>.</p>
<p>These open in <a href="/graphiql">GraphiQL</a>, ready to run:</p>
<ul>
${items}</ul>
${account ? signedInAs(account) : signedOut(options.signUp !== 'closed')}
<p>A sign-up sends a mail with a link. This page is for development: it is not served in production.</p>`
  return createPage(englishFrame(plan), { title: 'The service is running', body })
}

function signedInAs({ name, email }: Account): Html {
  return html`<p>You are signed in as <strong>${name}</strong>, <strong>${email}</strong>. See <a href="/account">your account</a> and <a
href="/devices">your devices</a>.</p>`
}

function signedOut(isOpen: boolean): Html {
  const signUp = isOpen ? html` or <a href="/sign-up">create an account</a>` : nothing
  return html`<p>No one is signed in in this browser. <a href="/sign-in">Sign in</a>${signUp}.</p>`
}
