// Runs before the first paint: a person who chose light or dark must not see the other one flash by.
(function () {
  try {
    var theme = window.localStorage.getItem("paddock.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (error) {
    // Storage refused: the system's own choice stands.
    void error;
  }
})();
