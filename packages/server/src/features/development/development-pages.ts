import type { Account } from '@latchkey/accounts'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { type DevelopmentPages, type GraphiqlFile, graphiqlFiles } from '../../options/pages/development-pages.ts'
import { answerFailure } from '../../page-kit/failure-page.ts'
import type { PublicRoute } from '../../page-kit/feature.ts'
import type { OpenableService as Site } from '../../service/openable-service.ts'
import type { ServicePlan } from '../../service/plan/service-plan.ts'
import { createGraphiqlPage, explainMissingGraphiql } from './graphiql-page.ts'
import { createStartPage } from './start-page.ts'

/** Returns the start page, GraphiQL and its files, by path. */
export function developmentRoutes(pages: DevelopmentPages): readonly PublicRoute[] {
  const files = Object.keys(graphiqlFiles) as GraphiqlFile[]
  return [
    ['/', answerStartPage],
    ['/graphiql', (_request, site) => answerGraphiql(pages, site)],
    ...files.map((name): PublicRoute => [`/graphiql/${name}`, (_request, site) => answerFile(name, pages, site)]),
  ]
}

async function answerStartPage(request: HttpRequest, site: Site): Promise<HttpResponse> {
  try {
    return createStartPage(site, await findSignedIn(request, site))
  } catch (error) {
    return answerFailure(error, request, site)
  }
}

async function findSignedIn(request: HttpRequest, site: Site): Promise<Account | null> {
  const { reidentify, accounts } = await site.open()
  const { credential, identity } = await reidentify.read(request)
  return identity && credential === 'cookie' ? accounts.get(identity.subject) : null
}

async function answerGraphiql(pages: DevelopmentPages, plan: ServicePlan): Promise<HttpResponse> {
  return (await pages.readFile('graphiql.js')) ? createGraphiqlPage(plan) : explainMissingGraphiql(plan)
}

async function answerFile(name: GraphiqlFile, pages: DevelopmentPages, plan: ServicePlan): Promise<HttpResponse> {
  const body = await pages.readFile(name)
  if (!body) return explainMissingGraphiql(plan)
  const headers = [['Content-Type', `${graphiqlFiles[name][2]}; charset=utf-8`], ...plan.security.api] as const
  return { status: 200, headers, body }
}
