import type { HttpReply } from '@latchkey/http'
import type { ServicePlan } from '../../service/plan/service-plan.ts'
import { html, nothing } from '../html.ts'
import { createPage, englishFrame } from '../page.ts'

const signUp = `mutation SignUp {
  signUp(input: { email: "ada@example.com", password: "otters read quietly at dawn", name: "Ada" }) { accepted }
}`
const signIn = `mutation SignIn {
  signIn(input: { email: "ada@example.com", password: "otters read quietly at dawn" }) { status account { id name } }
}`
const viewer = '{ viewer { id name email } sessions { id kind userAgent lastUsedAt current } }'

/** Returns the page at `/` of a service in development: where its endpoint is, and what to try. */
export function createStartPage(plan: ServicePlan): HttpReply {
  const { base, path, options } = plan
  const examples = [
    ...(options.signUp === 'closed' ? [] : [['Sign up', signUp]]),
    ['Sign in', signIn],
    ['See yourself', viewer],
  ]
  const items = examples.map(
    ([title = '', query = '']) => html`<li><a href="/graphiql?query=${encodeURIComponent(query)}">${title}</a></li>\n`,
  )
  const signUpLink = options.signUp === 'closed' ? nothing : html`, <a href="/sign-up">the one to sign up</a>`
  const body = html`<p>The GraphQL endpoint is <code>${base.origin}${path}</code>.</p>
<p>These open in <a href="/graphiql">GraphiQL</a>, ready to run:</p>
<ul>
${items}</ul>
<p>People see <a href="/sign-in">the page to sign in</a>${signUpLink} and <a href="/account">their account</a> with its <a
href="/devices">devices</a>.</p>
<p>A sign-up sends a mail with a link. This page is for development: it is not served in production.</p>`
  return createPage(englishFrame(plan), { title: 'The service is running', body })
}
