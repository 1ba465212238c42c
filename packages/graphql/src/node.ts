export { toUpgradeListener } from './subscriptions/sockets/to-upgrade-listener.ts'
