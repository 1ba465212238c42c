import type { OrdinaryDocument } from './ordinary-document.ts'

export const codeHostSchema = `
  interface Actor { login: String!, avatarUrl(size: Int): String!, url: String! }
  type User implements Actor {
    id: ID!, login: String!, avatarUrl(size: Int): String!, url: String!, name: String, bio: String, company: String
    repositories(first: Int, after: String, orderBy: String, isFork: Boolean): RepositoryConnection!
    followers: Count!, following: Count!, starred: Count!
  }
  type Bot implements Actor { login: String!, avatarUrl(size: Int): String!, url: String! }
  type Count { totalCount: Int! }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
  type RateLimit { limit: Int!, cost: Int!, remaining: Int!, resetAt: String! }
  type Language { name: String!, color: String }
  type LanguageEdge { size: Int!, node: Language! }
  type LanguageConnection { edges: [LanguageEdge!]!, totalSize: Int! }
  type Topic { name: String! }
  type RepositoryTopic { topic: Topic! }
  type TopicConnection { nodes: [RepositoryTopic!]! }
  type Ref { name: String!, target: GitObject }
  interface GitObject { oid: String! }
  type Commit implements GitObject {
    oid: String!, abbreviatedOid: String!, messageHeadline: String!, committedDate: String!, author: GitActor
    history(first: Int): CommitHistory!, statusCheckRollup: Rollup
  }
  type CommitHistory { totalCount: Int!, nodes: [Commit!]! }
  type GitActor { name: String, email: String, date: String, user: User }
  type Rollup { state: String!, contexts(first: Int): ContextConnection! }
  type ContextConnection { nodes: [Context!]!, pageInfo: PageInfo! }
  union Context = CheckRun | StatusContext
  type App { name: String!, slug: String! }
  type Suite { app: App, workflowRun: Run }
  type Run { workflow: Workflow! }
  type Workflow { name: String! }
  type CheckRun {
    name: String!, status: String!, conclusion: String, startedAt: String, completedAt: String, detailsUrl: String
    checkSuite: Suite
  }
  type StatusContext { context: String!, state: String!, targetUrl: String, createdAt: String!, description: String }
  type RepositoryConnection { totalCount: Int!, nodes: [Repository!]!, pageInfo: PageInfo! }
  type Repository {
    id: ID!, name: String!, nameWithOwner: String!, description: String, url: String!, isPrivate: Boolean!
    isArchived: Boolean!, stargazerCount: Int!, forkCount: Int!, pushedAt: String, owner: Actor!
    primaryLanguage: Language, languages(first: Int): LanguageConnection!, repositoryTopics(first: Int): TopicConnection!
    defaultBranchRef: Ref, issues(first: Int, states: [String!], labels: [String!], after: String): IssueConnection!
    pullRequests(first: Int, states: [String!]): PullRequestConnection!, pullRequest(number: Int!): PullRequest
    discussions: Count!, releases(first: Int): Count!, watchers: Count!, milestones(states: [String!]): Count!
  }
  type Label { name: String!, color: String!, description: String }
  type LabelConnection { nodes: [Label!]! }
  type ActorConnection { nodes: [User!]! }
  type Reactions { content: String!, users: Count! }
  type Comment {
    id: ID!, body: String!, createdAt: String!, author: Actor, authorAssociation: String!, isMinimized: Boolean!
    reactionGroups: [Reactions!], url: String!
  }
  type CommentConnection { totalCount: Int!, nodes: [Comment!]!, pageInfo: PageInfo! }
  type Issue {
    id: ID!, number: Int!, title: String!, state: String!, createdAt: String!, updatedAt: String!, author: Actor
    labels(first: Int): LabelConnection!, assignees(first: Int): ActorConnection!, milestone: Milestone
    comments(first: Int, last: Int): CommentConnection!
  }
  type Milestone { title: String!, dueOn: String }
  type IssueConnection { totalCount: Int!, nodes: [Issue!]!, pageInfo: PageInfo! }
  type PullRequestConnection { totalCount: Int!, nodes: [PullRequest!]!, pageInfo: PageInfo! }
  type Review { id: ID!, author: Actor, state: String!, body: String!, submittedAt: String }
  type ReviewConnection { nodes: [Review!]! }
  type Thread { id: ID!, isResolved: Boolean!, path: String!, line: Int, comments(first: Int): CommentConnection! }
  type ThreadConnection { nodes: [Thread!]!, pageInfo: PageInfo! }
  type File { path: String!, additions: Int!, deletions: Int! }
  type FileConnection { nodes: [File!]! }
  type PullCommit { commit: Commit! }
  type PullCommitConnection { totalCount: Int!, nodes: [PullCommit!]! }
  type PullRequest {
    id: ID!, number: Int!, title: String!, body: String!, state: String!, isDraft: Boolean!, mergeable: String!
    additions: Int!, deletions: Int!, changedFiles: Int!, baseRefName: String!, headRefName: String!, author: Actor
    labels(first: Int): LabelConnection!, assignees(first: Int): ActorConnection!, reviewDecision: String
    reviews(first: Int, last: Int): ReviewConnection!, reviewThreads(first: Int): ThreadConnection!
    comments(first: Int): CommentConnection!, files(first: Int): FileConnection!
    commits(first: Int, last: Int): PullCommitConnection!
  }
  type Query {
    viewer: User!, rateLimit: RateLimit!, user(login: String!): User
    repository(owner: String!, name: String!): Repository
  }
`

const actor = 'fragment Actor on Actor { login avatarUrl(size: 40) url }'
const comment = `fragment Comment on Comment {
  id body createdAt authorAssociation isMinimized url author { ...Actor } reactionGroups { content users { totalCount } }
}`
const states = ['OPEN', 'CLOSED', 'MERGED', 'DRAFT']

export const codeHostDocuments: readonly OrdinaryDocument[] = [
  {
    what: 'a dashboard of 16 counters under names of their own',
    query: `query Counters($owner: String!, $name: String!) {
      viewer { login followers { totalCount } following { totalCount } }
      repository(owner: $owner, name: $name) {
        id nameWithOwner stargazerCount forkCount
        ${['bug', 'feature', 'question', 'security']
          .map(
            (label) => `${label}Open: issues(states: ["OPEN"], labels: ["${label}"]) { totalCount }
              ${label}Closed: issues(states: ["CLOSED"], labels: ["${label}"]) { totalCount }`,
          )
          .join(' ')}
        ${states.map((state) => `pulls${state}: pullRequests(states: ["${state}"]) { totalCount }`).join(' ')}
        openMilestones: milestones(states: ["OPEN"]) { totalCount }
        closedMilestones: milestones(states: ["CLOSED"]) { totalCount }
        talks: discussions { totalCount }
        versions: releases { totalCount }
      }
    }`,
    variables: { owner: 'o', name: 'n' },
  },
  {
    what: 'a profile with 100 repositories and their languages',
    query: `query Profile($login: String!, $after: String) {
      rateLimit { limit cost remaining resetAt }
      user(login: $login) {
        ...Actor name bio company followers { totalCount } following { totalCount } starred { totalCount }
        repositories(first: 100, after: $after, orderBy: "STARS", isFork: false) {
          totalCount pageInfo { hasNextPage endCursor }
          nodes {
            id nameWithOwner description url isPrivate isArchived stargazerCount forkCount pushedAt
            owner { ...Actor } primaryLanguage { name color }
            languages(first: 10) { totalSize edges { size node { name color } } }
            repositoryTopics(first: 10) { nodes { topic { name } } }
            defaultBranchRef { name target { oid ... on Commit { history(first: 1) { totalCount nodes { committedDate } } } } }
            openIssues: issues(states: ["OPEN"]) { totalCount }
            openPulls: pullRequests(states: ["OPEN"]) { totalCount }
          }
        }
      }
    } ${actor}`,
    variables: { login: 'ada' },
  },
  {
    what: 'a list of 50 issues with labels, assignees and the last comments',
    query: `query Issues($owner: String!, $name: String!, $after: String) {
      repository(owner: $owner, name: $name) {
        issues(first: 50, after: $after, states: ["OPEN"]) {
          totalCount pageInfo { hasNextPage endCursor }
          nodes {
            id number title state createdAt updatedAt author { ...Actor } milestone { title dueOn }
            labels(first: 20) { nodes { name color description } }
            assignees(first: 10) { nodes { ...Actor name } }
            comments(last: 3) { totalCount nodes { ...Comment } }
          }
        }
      }
    } ${comment} ${actor}`,
    variables: { owner: 'o', name: 'n' },
  },
  {
    what: 'a pull request with its threads, files, commits and checks',
    query: `query PullRequest($owner: String!, $name: String!, $number: Int!) {
      repository(owner: $owner, name: $name) { pullRequest(number: $number) {
        id number title body state isDraft mergeable additions deletions changedFiles baseRefName headRefName
        reviewDecision author { ...Actor }
        labels(first: 20) { nodes { name color } } assignees(first: 20) { nodes { ...Actor } }
        reviews(last: 50) { nodes { id state body submittedAt author { ...Actor } } }
        reviewThreads(first: 50) {
          nodes { id isResolved path line comments(first: 20) { nodes { ...Comment } } } pageInfo { hasNextPage endCursor }
        }
        comments(first: 100) { nodes { ...Comment } pageInfo { hasNextPage endCursor } }
        files(first: 100) { nodes { path additions deletions } }
        commits(first: 100) { totalCount nodes { commit {
          oid abbreviatedOid messageHeadline committedDate author { name email date user { ...Actor } }
        } } }
        last: commits(last: 1) { nodes { commit { statusCheckRollup { state contexts(first: 100) {
          nodes {
            ... on CheckRun { name status conclusion startedAt completedAt detailsUrl
              checkSuite { app { name slug } workflowRun { workflow { name } } } }
            ... on StatusContext { context state targetUrl createdAt description }
          }
          pageInfo { hasNextPage endCursor }
        } } } } }
      } }
    } ${comment} ${actor}`,
    variables: { owner: 'o', name: 'n', number: 1 },
  },
]
