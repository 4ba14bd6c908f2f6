import { expect, test } from 'vitest'
import { DIGEST } from '../test-support.ts'
import { changeDeployment } from './change.ts'

const OTHER = `sha256:${'b'.repeat(64)}`
const deployment = { kind: 'Deployment', spec: { containers: [{ image: `host:5000/router:1@${DIGEST}` }] } }
const service = { kind: 'Service' }
const resources = [deployment, service]
const restore = () => [service]

test('Nothing asked rolls out what is deployed under a new revision each time', () => {
  const once = changeDeployment(resources, undefined, restore)
  const twice = changeDeployment(once, undefined, restore)
  const revision = (number: string) => ({
    ...deployment,
    metadata: { annotations: { 'deployment.kubernetes.io/revision': number } },
  })
  expect(once).toEqual([revision('2'), service])
  expect(twice).toEqual([revision('3'), service])
})

test('A deployment that runs nothing is marked as a whole', () => {
  const [marked] = changeDeployment([service], undefined, restore)
  expect(marked).not.toEqual(service)
})

test.each(['host:5000/router', 'host:5000/router:1'])('The image %s gets another digest', (name) => {
  const changed = changeDeployment(resources, { images: { [name]: OTHER } }, restore)
  const container = { image: `host:5000/router:1@${OTHER}` }
  expect(changed).toEqual([{ kind: 'Deployment', spec: { containers: [container] } }, service])
})

test('All resources can be replaced, and restored from where they are configured', () => {
  expect(changeDeployment(resources, { resources: [deployment] }, restore)).toEqual([deployment])
  expect(changeDeployment(resources, { restore: true }, restore)).toEqual([service])
})

test.each([
  [[], 'The body must hold one of images, resources and restore'],
  [{}, 'The body must hold one of'],
  [{ images: {}, restore: true }, 'The body must hold one of'],
  [{ image: OTHER }, 'image is not a known key'],
  [{ images: OTHER }, 'images must be an object'],
  [{ images: { 'host:5000/router': 'latest' } }, 'host:5000/router must be sha256:'],
  [{ images: { host: OTHER } }, 'host is an image that no container runs'],
  [{ restore: 'yes' }, 'restore must be true'],
  [{ resources: {} }, 'resources must be a list'],
  [{ resources: [{ containers: [{ image: 'router' }] }] }, 'resources[0] names the image router without'],
])('The change %j is refused', (asked, message) => {
  expect(() => changeDeployment(resources, asked, restore)).toThrow(message)
})
