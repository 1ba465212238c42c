import type { Article } from '../articles/article.ts'
import { demoPassword } from './demo-accounts.tsx'

/** An operation that GraphiQL opens. */
export interface DemoOperation {
  readonly title: string
  readonly query: string
  readonly variables?: object
}

const readArticles = `query ReadArticles {
  articles(first: 5) {
    id
    title
    wordCount
    rating
    author {
      name
    }
  }
}`
const signIn = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) {
    status
    account {
      name
      role
    }
  }
}`
const changeArticle = `mutation ChangeArticle($input: UpdateArticleInput!) {
  updateArticle(input: $input) {
    id
    title
    author {
      name
    }
  }
}`
const signUp = `mutation SignUp {
  signUp(
    input: {
      email: "you@example.com"
      password: "a sentence of your own choice"
      name: "You"
    }
  ) {
    accepted
  }
}`
const seeDevices = `query SeeDevices {
  viewer {
    name
    email
    role
  }
  sessions {
    id
    kind
    userAgent
    address
    lastUsedAt
    current
  }
}`
const hearOfArticles = `subscription HearOfArticles {
  articlePublished {
    id
    title
    author {
      name
    }
  }
}`

/** Returns the operations that show the rules, in the order to run them. Each mutation has the id of a published article. */
export function ruleOperations(articles: readonly Article[]): readonly DemoOperation[] {
  const change = (title: string, author: string, words: string): readonly DemoOperation[] => {
    const article = articles.find(({ status, author: { name } }) => status === 'PUBLISHED' && name === author)
    if (!article) return []
    return [{ title, query: changeArticle, variables: { input: { id: article.id, title: words, body: `${words}.` } } }]
  }
  return [
    signInAs('Sign in as an author', 'author@example.com'),
    ...change('Change your own article', 'Ada Author', 'Changed by its author'),
    ...change('Change another author’s article (403)', 'Otto Other', 'Changed by another author'),
    signInAs('Sign in as an administrator', 'admin@example.com'),
    ...change('Change it as an administrator', 'Otto Other', 'Changed by an administrator'),
  ]
}

/** Operations that need no article. */
export const otherOperations: readonly DemoOperation[] = [
  { title: 'Read the articles', query: readArticles },
  { title: 'Sign up', query: signUp },
  { title: 'See your devices', query: seeDevices },
  { title: 'Hear of published articles', query: hearOfArticles },
]

function signInAs(title: string, email: string): DemoOperation {
  return { title, query: signIn, variables: { input: { email, password: demoPassword } } }
}
