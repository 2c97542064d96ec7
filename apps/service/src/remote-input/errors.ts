/** Errors of this module. */
import { errorTable, ours, user } from '@geomill/core/messages/catalogue-entries.ts';

export const remoteInputErrors = errorTable({
  URL_REFUSED: user(
    400,
    "files are not fetched from '{host}': the host is not allowed by INPUT_URL_HOSTS, or has no public address; check the name, or send the file itself",
  ),
  URL_TIMEOUT: user(
    400,
    "'{host}' did not {what} within {seconds} s ({setting}); try again, or send the file itself",
  ),
  SERVICE_ERROR: user(
    400,
    "the server '{host}' answered {request} with error {status}: {message}. Check the URL, its filter and its token",
  ),
  SERVICE_ANSWER_INVALID: user(
    400,
    "the answer of '{host}' to {request} is not one of an ArcGIS server: {reason}. Open the URL in a browser; it may require signing in",
  ),
  SERVICE_LAYERS: user(
    400,
    "the service of '{host}' has {count|layer}: {layers}; add the number of one to the URL, such as /FeatureServer/0",
  ),
  SERVICE_NO_FEATURES: user(
    400,
    "layer '{layer}' of '{host}' has no features that can be fetched: {reason}; use the URL of another layer",
  ),
  SERVICE_INCOMPLETE: user(
    400,
    "layer '{layer}' of '{host}' cannot be read completely: the server counts {count} features, lists {listed} object ids, and {read} were read; {detail}. Download the layer as a file",
  ),
  SERVICE_CHANGED: user(
    400,
    "layer '{layer}' of '{host}' changed while it was read: it had {before} features and now has {after}, {changes}; try again",
  ),
  RUNNER_MESSAGE_INVALID: ours(
    500,
    'the process of the job was stopped because it sent an invalid message ({reason}); report this together with the input',
  ),
});
