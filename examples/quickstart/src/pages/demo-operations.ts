import type { PublicationData } from '../publication/publication-data.ts'

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

/** Returns the operations that show the rules, in the order to run them. Each change has the id of a stored article. */
export async function readRuleOperations(data: PublicationData): Promise<readonly DemoOperation[]> {
  const [own, others] = [await latestOf('author@example.com', data), await latestOf('other@example.com', data)]
  const change = (title: string, id: string | null, words: string): readonly DemoOperation[] =>
    id === null ? [] : [{ title, query: changeArticle, variables: { input: { id, title: words, body: `${words}.` } } }]
  return [
    signInAs('Sign in as an author', 'author@example.com'),
    ...change('Change your own article', own, 'Changed by its author'),
    ...change('Change another author’s article (403)', others, 'Changed by another author'),
    signInAs('Sign in as an administrator', 'admin@example.com'),
    ...change('Change it as an administrator', others, 'Changed by an administrator'),
  ]
}

/** Further operations, which depend on no stored article. */
export const otherOperations: readonly DemoOperation[] = [
  { title: 'Read the articles', query: readArticles },
  { title: 'Sign up', query: signUp },
  { title: 'See your devices', query: seeDevices },
  { title: 'Hear of published articles', query: hearOfArticles },
]

function signInAs(title: string, email: string): DemoOperation {
  return { title, query: signIn, variables: { input: { email, password: 'otters read quietly at dawn' } } }
}

/** The id of the latest article that the account has published. */
async function latestOf(email: string, { stores, articles }: PublicationData): Promise<string | null> {
  const account = await stores.accounts.getByEmail(email)
  const [article] = account ? await articles.listByAuthors([account.id], 1, { subject: null }) : []
  return article?.id ?? null
}
