import type { Feature } from '../../page-kit/feature.ts'
import { developmentRoutes } from './development-pages.ts'

export const development: Feature = {
  routes: ({ options }) => (options.developmentPages ? developmentRoutes(options.developmentPages) : []),
}
