// Hides the form for browsers without scripts until the workspace has taken its place, and shows it if that cannot be loaded.
// Runs before the page is drawn. Old browsers without modules never load the workspace, so they keep the form.
if ('noModule' in HTMLScriptElement.prototype) {
  const { classList } = document.documentElement;
  classList.add('loading-workspace');
  addEventListener(
    'error',
    ({ target }) => target instanceof HTMLScriptElement && classList.remove('loading-workspace'),
    true,
  );
}
